module example.com/before
go 1.22
