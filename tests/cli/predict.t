# Columns without names are known by their positions, even where the target's is not there.
$ printf 'a,1.5,2\nb,2,3\na,1,2\nb,2.5,3.5\na,1,1\nb,3,3\na,2,1\nb,2,4\n' > plain.csv; cut -d , -f 2,3 plain.csv > inputs.csv
$ samara train "knn 1" plain.csv --header no --target 0 --holdout 0 -o plain.smr -q
$ samara predict plain.smr plain.csv --header no > with.csv; samara predict plain.smr inputs.csv --header no > without.csv; cmp with.csv without.csv && echo the same
samara: warning: inputs.csv: its columns have no names and lack the target: they are taken as those of the training data without it
the same
$ samara predict plain.smr - --header no < inputs.csv | cmp - with.csv
samara: warning: -: its columns have no names and lack the target: they are taken as those of the training data without it
$ cut -d , -f 2 plain.csv | samara predict plain.smr - --header no
samara: standard input lacks 2 of the columns that the model needs: '1', '2'; its columns have no names (--header yes takes them from the first row)
[status 1]
