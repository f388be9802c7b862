module example.com/waits
go 1.22
