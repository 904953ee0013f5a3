# Rows in files of their own: classes spread evenly, the same rows as train --holdout measures.
$ samara split data/iris.csv train.csv validation.csv test.csv --target species --seed 3
read      data/iris.csv: 150 rows
divided   at random, classes spread evenly, seed 3
wrote     train.csv: 90 rows
wrote     validation.csv: 30 rows
wrote     test.csv: 30 rows
$ for f in train validation test; do tail -n +2 $f.csv | cut -d, -f5 | sort | uniq -c | tr -s ' '; done
 30 setosa
 30 versicolor
 30 virginica
 10 setosa
 10 versicolor
 10 virginica
 10 setosa
 10 versicolor
 10 virginica
$ (cat train.csv; tail -n +2 validation.csv; tail -n +2 test.csv) | sort > all; sort data/iris.csv | cmp - all && echo "every row once"
every row once
$ samara split data/iris.csv tr.csv te.csv -t species --shares 0.3 -s 7 -q; samara train knn tr.csv -t species --test te.csv --json | grep -A1 '"measures"'; samara train knn data/iris.csv -t species --holdout 0.3 -s 7 --json | grep -A1 '"measures"'
  "measures": {
    "accuracy": 0.9777777777777777,
  "measures": {
    "accuracy": 0.9777777777777777,
$ samara split data/iris.csv tr2.csv te2.csv -t species --shares 0.3 -s 7 -q -j 3; cmp tr.csv tr2.csv && cmp te.csv te2.csv && echo same
same

# Groups stay whole; by time the last file has the latest rows.
$ python3 -c "
> print('who,day,y')
> for i in range(40): print(f'p{i // 4},2024-01-{1 + (i * 7) % 28:02d},{i % 5}.5')" > g.csv; samara split g.csv a.csv b.csv --group who --shares 0.25
read      g.csv: 40 rows
divided   at random, groups whole, seed 0
wrote     a.csv: 28 rows
wrote     b.csv: 12 rows
$ cut -d, -f1 a.csv | sort -u > one; cut -d, -f1 b.csv | sort -u > two; comm -12 one two
who
$ samara split g.csv a.jsonl b.arff c.csv.gz --order-by day --shares 0.25,0.25
read      g.csv: 40 rows
divided   in order of time
wrote     a.jsonl: 20 rows
wrote     b.arff: 10 rows
wrote     c.csv.gz: 10 rows
$ grep -o '2024-..-..' a.jsonl | sort | tail -1; grep -o '2024-..-..' b.arff | sort | sed -n '1p;$p'; gzip -dc c.csv.gz | cut -d, -f2 | grep 2024 | sort | head -1
2024-01-08
2024-01-15
2024-01-15
2024-01-22
$ samara split g.csv a.csv b.csv --ordered --json | grep -v seconds
{
  "json_version": 1,
  "command": "split",
  "data": "g.csv",
  "rows": 40,
  "ordered": true,
  "stratified": false,
  "grouped": false,
  "seed": 0,
  "rows_without_target": 0,
  "shares": [0.2],
  "parts": [{"file": "a.csv", "rows": 32}, {"file": "b.csv", "rows": 8}],
  "warnings": []
}

# Rows without a target go to the first file; what cannot be is refused.
$ (cat data/iris.csv; echo '1,2,3,4,') > gap.csv; samara split gap.csv a.csv b.csv -t species; tail -1 a.csv
read      gap.csv: 151 rows
divided   at random, classes spread evenly, seed 0
note      1 row without a target is in the first part
wrote     a.csv: 121 rows
wrote     b.csv: 30 rows
1,2,3,4,
$ samara split data/iris.csv a.csv
samara: split needs more words: samara split DATA TRAIN [VALIDATION] TEST [--target COL]
[status 2]
$ samara split data/iris.csv a.csv a.csv
samara: a.csv is asked for twice; choose another name
[status 2]
$ samara split gap.csv a.csv gap.csv
samara: gap.csv would be replaced by the result; choose another name
[status 2]
$ samara split data/iris.csv a.csv b.csv --shares 0.2,0.2
samara: --shares has 2 shares, and 1 file comes after the first, which has the rest
[status 2]
$ samara split data/iris.csv a.csv b.csv --shares 1.5
samara: --shares: '1.5' is not a list of shares between 0 and 1, such as 0.2,0.2
[status 2]
$ samara split data/iris.csv a.csv b.csv --group species --ordered
samara: parts in order of time may divide a group; leave out either the group or the order
[status 2]
$ samara split data/iris.csv a.csv -
samara: the parts of a split are files, not standard output
[status 2]
