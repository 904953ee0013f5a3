# Decimal commas are found and told; what may be decimals or thousands is not guessed.
$ printf 'price;area;town\n1.250,5;42,5;Ulm\n980,25;30,0;Bonn\n2.100,75;80,5;Ulm\n' > eu.csv; samara describe eu.csv | head -6
samara: warning: eu.csv: columns such as 'price' with decimal commas (42,5) are read as numbers; --decimal , confirms it
eu.csv: 3 rows, 3 columns
  format     csv
  delimiter  semicolon
  header     yes
  decimal    comma
  columns    2 numbers, 1 category
$ samara convert eu.csv -o - -q
price,area,town
1250.5,42.5,Ulm
980.25,30,Bonn
2100.75,80.5,Ulm
$ samara convert eu.csv -o - --decimal ,
price,area,town
1250.5,42.5,Ulm
980.25,30,Bonn
2100.75,80.5,Ulm
$ samara describe eu.csv --decimal . | grep columns
eu.csv: 3 rows, 3 columns
  columns    3 categories
  missing    0 values in 0 columns
$ printf 'sum;n\n1,234;1\n2,345;2\n' > either.csv; samara convert either.csv -o -
samara: warning: either.csv: column 'sum' is read as a category: whether a comma separates decimals or thousands in '1,234' is not clear; --decimal , says decimals, --decimal . thousands
sum,n
"1,234",1
"2,345",2
$ samara convert either.csv -o - --decimal .
sum,n
1234,1
2345,2
$ samara convert either.csv -o - --decimal point -q; samara convert either.csv -o - --decimal ';'
sum,n
1234,1
2345,2
samara: --decimal: a point or a comma ('.' or ','), not ';'
[status 2]
$ printf 'code;x\n1.234;0,5\n2.345;1,5\n' > points.csv; samara convert points.csv -o -
samara: warning: points.csv: column 'x' with decimal commas (42,5) is read as numbers; --decimal , confirms it
samara: warning: points.csv:2: decimals have commas in this file, so points separate thousands in column 'code' (1.234 is 1234); --decimal . reads points as decimals, --decimal , confirms it
code,x
1234,0.5
2345,1.5

# A model keeps the decimal comma of its table for later files.
$ samara make linear n=60 d=5 noise=0.1 -o l.csv -q; tr ',.' ';,' < l.csv > l_eu.csv; samara train linear l.csv -t y -o a.smr -q; samara train linear l_eu.csv -t y -o b.smr -q --decimal ,
$ samara predict a.smr l.csv -o a.csv -q; samara predict b.smr l_eu.csv -o b.csv -q; cmp a.csv b.csv && echo same
same
$ samara predict b.smr l.csv -o c.csv; cmp a.csv c.csv && echo same
wrote     c.csv
same
$ (head -3 l_eu.csv; echo "1.5;2,5;3,5;4,5;5,5;6,5") > mixed.csv; samara predict b.smr mixed.csv
samara: mixed.csv:4: column 'x0' must hold numbers, but here it has '1.5'; numbers have decimal commas in this file; if points are meant add --decimal .
[status 1]

# JSON lines: members are columns, nested ones with a point, keys in any order.
$ printf '{"x":1.5,"place":{"town":"Ulm","old":true},"day":"2024-02-29"}\n{"day":null,"place":{"town":"Bonn"},"x":2}\n' > t.jsonl; samara convert t.jsonl -o -
x,place.town,place.old,day
1.5,Ulm,true,2024-02-29
2,Bonn,,
$ samara convert t.jsonl -o t2.jsonl; cat t2.jsonl
wrote     t2.jsonl
{"x":1.5,"place.town":"Ulm","place.old":"true","day":"2024-02-29"}
{"x":2,"place.town":"Bonn","place.old":null,"day":null}
$ samara describe t.jsonl | head -4
samara: warning: column 'place.old' is constant: it says nothing about the rows
samara: warning: column 'day' is constant: it says nothing about the rows
t.jsonl: 2 rows, 4 columns
  format   jsonl
  columns  1 number, 2 categories, 1 date
  missing  2 values in 2 columns
$ printf '{"x":1}\n{"x":2,}\n' | samara describe -
samara: standard input:2:8: expected a string, found '}'; each line is one whole object: jq -c . makes such lines
[status 1]
$ printf '{"x":1}\n{"x":"many"}\n' | samara describe -
samara: standard input, line 2: column 'x' has a string here, and numbers from line 1 on; make them the same, or read the column as a category with --type x=category
[status 1]
$ printf '{"x":1,"tags":["a"]}\n' | samara describe -
samara: standard input:1: 'tags' is an array, and no column holds lists; leave it out with --type tags=ignore
[status 1]
$ printf '{"x":1,"tags":["a"]}\n' | samara convert - -o - --type tags=ignore
x
1
$ printf '[{"x":1},\n {"x":2}]\n' > list.json; samara describe list.json
samara: list.json:1:10: expected a value, but it ends here; JSON lines are objects, one per line: jq -c '.[]' makes them
[status 1]
$ samara train linear data/diabetes.csv -t progression -o d.smr -q; head -3 data/diabetes.csv > d.csv; samara predict d.smr d.csv -o d.jsonl -q; cat d.jsonl; samara predict d.smr d.csv --json | grep -A3 predictions
{"progression":206.11667724510568}
{"progression":68.07103297306884}
  "predictions": [{"progression": 206.11667724510568}, {"progression": 68.07103297306884}],
  "warnings": []
}

# What is not read says which command makes a table of it; a web address is answered as such.
$ printf 'PAR1xxxx' > a.parquet; samara describe a.parquet
samara: a.parquet: not a table, but a Parquet file; python3 -c "import pandas; pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)" makes a CSV file of it
[status 1]
$ printf 'PK\003\004xxxx' > a.xlsx; samara describe a.xlsx
samara: a.xlsx: not a table, but a zip archive: an Excel workbook (xlsx2csv FILE.xlsx FILE.csv makes a CSV file of its first sheet), or something to take out with unzip first
[status 1]
$ printf 'BZh91AY' > a.csv.bz2; samara describe a.csv.bz2
samara: a.csv.bz2: not a table, but packed with bzip2; bunzip2 -k FILE unpacks it
[status 1]
$ samara describe https://example.org/data.csv
samara: https://example.org/data.csv: is a web address, and samara reads files; curl -fLO 'https://example.org/data.csv' fetches it, and with - for the file a pipe is read: curl -fL 'https://example.org/data.csv' | samara ...
[status 3]
$ samara describe s3://shop/data.csv
samara: s3://shop/data.csv: is a web address, and samara reads files; aws s3 cp 's3://shop/data.csv' . fetches it, and with - for the file a pipe is read: aws s3 cp 's3://shop/data.csv' - | samara ...
[status 3]
$ samara describe data/iris.csv?t
samara: data/iris.csv: is csv; FILE?TABLE is for SQLite databases
[status 2]
$ samara describe data/iris.csv --query 'select 1'
samara: data/iris.csv: is csv; a query is for SQLite databases
[status 2]

# A column of texts is called one.
$ python3 -c "
> print('mail,spam')
> for i in range(30): print(f'dear friend number {i} buy this now,{i % 2}')" > mail.csv; samara describe mail.csv 2>&1 | head -1
samara: warning: column 'mail' holds text: "words 'mail' | ..." would read it; 30 of 30 values are distinct
$ python3 -c "
> print('who,y')
> for i in range(30): print(f'user{i}@example.org,{i % 2}')" > who.csv; samara describe who.csv 2>&1 | head -1
samara: warning: column 'who' looks like an identifier of the rows: 30 distinct values in 30 rows
