module threadmodel

go 1.22
