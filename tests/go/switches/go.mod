module example.com/switches

go 1.23
