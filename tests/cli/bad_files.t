# Files that are not there, empty, or of another kind.
$ samara describe nothing.csv
samara: nothing.csv: cannot be opened: No such file or directory
[status 3]
$ : > empty.csv; samara describe empty.csv
samara: empty.csv: the file is empty
[status 1]
$ echo 'a,b,y' > header.csv; samara describe header.csv
samara: header.csv: has a header and no rows of data; if its one row is data, say that there is no header
[status 1]
$ printf '\211PNG\r\n\032\n\0\0\0\rIHDR' > image.csv; samara describe image.csv
samara: image.csv: named like a csv file, but holds picture data; rename it or use --format picture
[status 1]
$ printf 'a,b\n1,2\n3\0,4\n' > nul.csv; samara describe nul.csv
samara: nul.csv: not a table: byte 9 is 0, which no text has; name its format with --format if it is an NPY, IDX or CIFAR file
[status 1]
$ mkdir folder.csv; samara describe folder.csv
samara: folder.csv: is a folder without pictures
[status 1]

# Rows that do not fit, and names that are there twice.
$ printf 'a,b,y\n1,2,3\n4,5\n' > ragged.csv; samara train linear ragged.csv -t y -o m.smr; ls m.smr
samara: ragged.csv:3: wanted 3 fields as in the first row, got 2 in '4,5'; is the row cut off, or the delimiter another one?
ls: cannot access 'm.smr': No such file or directory
[status 2]
$ printf 'a,b,a\n1,2,3\n4,5,6\n' > twice.csv; samara describe twice.csv
samara: twice.csv: columns 0 and 2 (counted from 0) have the same name 'a'; rename one
[status 1]
$ printf 'a,b\n1,"2\n3,4\n' > quote.csv; samara describe quote.csv
samara: quote.csv:2: the quote that opens here is never closed; close it, or write a quote that belongs to the text twice
[status 1]
$ python3 -c "
> print('a,y')
> for i in range(400): print(f'{i % 50}.5,{i}')
> print('n/k,7')" > stray.csv; samara train linear stray.csv -t y
samara: stray.csv: column 'a' holds numbers, but 1 of 401 fields is something else: 'n/k' (line 402); if they stand for missing values add --missing 'n/k', if the column is a category add --type a=category
[status 1]
$ samara train linear stray.csv -t y --missing n/k -q -o t.smr && echo trained
trained

# A line of 100 MB is refused without taking its memory.
$ (printf 'a,b\n1,'; head -c 100000000 /dev/zero | tr '\0' 'x'; echo) | samara describe -
samara: standard input:2: the line is longer than 64 MiB, the most that is read; is this a table?
[status 1]

# A gzip that ends too early.
$ gzip -c data/digits.csv | head -c 20000 > cut.csv.gz; samara describe cut.csv.gz
samara: cut.csv.gz: the gzip data end too early; the file is truncated: copy or download it again
[status 1]
$ gzip -c data/iris.csv > iris.csv.gz; samara train knn iris.csv.gz -t species -q -o t.smr && echo trained
trained
$ cat iris.csv.gz | samara train knn - -t species -q -o t.smr && echo trained
trained

# LIBSVM with index 0, unsorted or repeated indices.
$ printf '1 0:2 3:4\n' > zero.svm; samara describe zero.svm
samara: zero.svm:1: '0:2' has index 0; LIBSVM indices begin at 1: add 1 to all
[status 1]
$ printf '1 1:2\n-1 3:1 2:4\n' > order.svm; samara describe order.svm
samara: order.svm:2: '2:4' has a smaller index than the pair before it; sort each row
[status 1]
$ printf '1 1:2\n-1 2:1 2:4\n' > again.svm; samara describe again.svm
samara: again.svm:2: '2:4' repeats the index before it
[status 1]
$ printf '1 1:2\n-1 2:x\n' > word.svm; samara describe word.svm
samara: word.svm:2: '2:x' has a value that is not a number
[status 1]

# NPY with pickled objects, of a wrong shape, cut off.
$ printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n" "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }" > object.npy; samara describe object.npy
samara: object.npy: the array holds pickled Python objects, which are programs, not numbers; save it with a number dtype
[status 1]
$ printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n" "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 2000000000, 9), }" > absurd.npy; samara describe absurd.npy
samara: absurd.npy: the shape has more numbers than any file can hold
[status 1]
$ samara make linear n=50 -o line.npy -q; head -c 300 line.npy > cut.npy; samara describe cut.npy
samara: cut.npy: truncated: the header promises 2400 bytes of numbers, the file has 172
[status 1]

# Numbers with a decimal comma are read and reported, and converted files are read back as they were.
$ printf 'a;y\n1,5;2\n2,25;3\n3,5;4\n4,75;5\n5,5;6\n6,5;7\n' > comma.csv; samara train linear comma.csv -t y -q --holdout 0 --json | grep -A3 warnings
  "warnings": [
    "comma.csv: column 'a' with decimal commas (42,5) is read as numbers; --decimal , confirms it",
    "these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv",
    "6 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv"
$ samara convert data/iris.csv iris.arff; samara convert iris.arff back.csv; cmp back.csv data/iris.csv && echo same
wrote     iris.arff
wrote     back.csv
same
$ printf '2,1,7\n3,4,5\n6,5,4\n' > plain.csv; samara convert plain.csv plain.arff; samara convert plain.arff again.csv; cmp plain.csv again.csv && echo same
wrote     plain.arff
wrote     again.csv
same
$ printf '1 1:2.5 3:4\n-1 2:7\n' > s.svm; samara convert s.svm s.csv; cat s.csv; samara describe s.csv | head -4
wrote     s.csv
label,0,1,2
1,2.5,0,4
-1,0,7,0
s.csv: 2 rows, 4 columns
  format     csv
  delimiter  comma
  header     yes
