module example.com/endpoint

go 1.22
