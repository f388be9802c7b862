module example.com/assist

go 1.22
