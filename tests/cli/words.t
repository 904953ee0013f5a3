# Texts become words, sparse all the way to the learner, and new texts are predicted.
$ samara train "words weight=tfidf | knn 5 metric=cosine" data/messages.csv --target topic -o m.smr -q
$ printf 'text\nMy chain needs oil\nThe soup needs salt\n\n' > new.csv; samara predict m.smr new.csv
topic
cycling
cooking
$ samara inspect m.smr | grep -A 12 '^1 '
1  words column='' unit=word lower=yes min_length=1 min_n=1 max_n=1 min_count=1 max_share=1 max_features=0 stop='' weight=tfidf norm=auto hash=0
   passed_through  0
   texts
     column  words
     text      270
   most_frequent
     word    rows  count
     the       51     75
     and       28     29
     a         21     25
     in        12     12
     is        11     11
     it        10     11
$ samara cv "words weight=tfidf | knn 5 metric=cosine" data/messages.csv --target topic | grep accuracy
  accuracy            0.916667   0.117851   0.697169         1   0.916667
  balanced_accuracy   0.916667   0.117851   0.697169         1   0.916667
baseline  always the most frequent class: accuracy 0.5
$ samara train "words max_n=2 min_count=4 stop=english" data/messages.csv --target topic -o t.smr -q; samara inspect t.smr | grep -A 40 most_frequent
   most_frequent
     word    rows  count
     bike       6      6
     milk       6      6
     ride       6      6
     butter     5      5
     brakes     4      4
     cake       4      4
     chain      4      4
     eggs       4      4
     hot        4      4
     oil        4      4
     oven       4      4
     sauce      4      4
     stir       4      4

# Of many coefficients the largest are shown, with the names of the words.
$ samara train "words weight=tfidf | logistic" data/messages.csv --target topic -o w.smr -q; samara inspect w.smr --rows 4 | grep -A 6 coefficients
   coefficients, the 4 largest of 271; --rows 0 shows all
     feature   estimate  std_error         z         p  odds_ratio     low_95  high_95
     with     -0.627635   0.960862   -0.6532  0.513628    0.533853  0.0811959  3.51002
     on        0.574174    0.95849   0.59904  0.549146     1.77566   0.271327  11.6206
     ride      0.569162   0.962819  0.591141  0.554426     1.76679   0.267689   11.661
     bike        0.5582   0.965668  0.578045  0.563234     1.74752   0.263296  11.5985
$ samara inspect w.smr --rows 0 | grep -A 3 coefficients; samara inspect w.smr --plot weights=w.svg > w.txt; grep -o 'weight: cooking below 0, cycling above' w.svg
   coefficients
     feature           estimate  std_error            z         p  odds_ratio     low_95  high_95
     (intercept)      0.0585602   0.370332     0.158129  0.874355     1.06031   0.513104  2.19108
     a                 0.261956   0.942831      0.27784  0.781135     1.29947   0.204751  8.24717
weight: cooking below 0, cycling above
weight: cooking below 0, cycling above

# Without words a text is set aside; --type has them inserted.
$ samara train "knn 5" data/messages.csv --target topic
samara: warning: column 'text' is set aside: 60 of its 60 values are distinct, like names or free text; "words 'text' | ..." reads it, --type 'text=category' keeps it
samara: no columns are left to learn from: all were set aside; --type COL=number, COL=category or COL=text keeps one
[status 1]
$ samara train "knn 5" data/messages.csv --target topic --type text=text -o i.smr -q; samara inspect i.smr | grep '^[0-9]'
0  columns unseen=missing dates=days target=as_is  (inserted)
1  words column='' unit=word lower=yes min_length=1 min_n=1 max_n=1 min_count=1 max_share=1 max_features=0 stop='' weight=count norm=auto hash=0  (inserted)
2  knn k=5 metric=euclidean weight=uniform algorithm=auto

# Several texts beside numbers; quoted lines, tabs and ARFF strings hold the same texts.
$ printf 'size,title,body,y\n1,Big cat,"It sat,\non the ""mat""",1\n2,Dog,"No\tcat",2\n3,,mat mat,3\n' > a.csv
$ samara train "words 'title,body'" a.csv --target y -o a.smr -q; samara predict a.smr a.csv
size,title=big,title=cat,title=dog,body=cat,body=it,body=mat,body=no,body=on,body=sat,body=the
1,1,1,0,0,1,1,0,1,1,1
2,0,0,1,1,0,0,1,0,0,0
3,0,0,0,0,0,2,0,0,0,0
$ samara convert a.csv a.tsv > /dev/null; samara convert a.csv a.arff > /dev/null; for f in csv tsv arff; do samara predict a.smr a.$f > $f.out; done; cmp csv.out tsv.out && cmp csv.out arff.out && echo same
same
$ printf '@relation r\n@attribute size numeric\n@attribute title string\n@attribute body string\n@data\n1,"Big cat",%s\n2,Dog,"No cat"\n' "'It sat, on the \"mat\"'" > s.arff; samara predict a.smr s.arff | tail -2
1,1,1,0,0,1,1,0,1,1,1
2,0,0,1,1,0,0,1,0,0,0
$ python3 -c "print('text,y'); [print('\"' + 'line of words\n' * 4000 + 'number %d\",%d' % (i, i % 2)) for i in range(24)]" > long.csv; samara train words long.csv --target y -o l.smr -q; samara inspect l.smr | grep -A 5 most_frequent
   most_frequent
     word    rows  count
     line      24  96000
     number    24     24
     of        24  96000
     words     24  96000

# Bytes that are not UTF-8 are refused where the column was not said to be text; else they separate words.
$ printf 'text,y\nun caf\351 noir,1\nthe tea,2\ncaf\351 au lait,3\n' > latin.csv; samara train "words text" latin.csv --target y
samara: latin.csv:2: column 'text' has a text that is not UTF-8 ('un caf? noir'); convert the file, for example with iconv -f latin1 -t utf-8, read the column as text with --type 'text=text', or leave it out with --type 'text=ignore'
[status 1]
$ samara train "words text" latin.csv --target y --type text=text -o latin.smr -q; samara inspect latin.smr | grep -A 9 most_frequent
   most_frequent
     word  rows  count
     caf      2      2
     au       1      1
     lait     1      1
     noir     1      1
     tea      1      1
     the      1      1
     un       1      1
$ samara predict latin.smr latin.csv | head -2
samara: warning: latin.csv:2: column 'text' has 2 texts that are not UTF-8 (here 'un caf? noir'); words are split at such bytes: convert the file, for example with iconv -f latin1 -t utf-8
au,caf,lait,noir,tea,the,un
0,1,0,1,0,0,1

# Hashing, and what cannot be.
$ samara train "words hash=16 | knn 5 metric=cosine" data/messages.csv --target topic -o h.smr -q; samara inspect h.smr | grep -A 4 '^1 '
1  words column='' unit=word lower=yes min_length=1 min_n=1 max_n=1 min_count=1 max_share=1 max_features=0 stop='' weight=count norm=auto hash=16
   passed_through  0
   texts
     column  buckets
     text         16
$ samara train "words hash=16 min_count=2 | knn" data/messages.csv --target topic
samara: words: hash= keeps no vocabulary, so min_count, max_share and max_features have nothing to choose from; leave them out
[status 2]
$ samara train "words min_count=55 | knn" data/messages.csv --target topic
samara: words: none of the 238 distinct words is left: min_count=55 and max_share leave none; lower the one, raise the other (while fitting stage 1, words)
[status 1]
$ samara train "words txt | knn" data/messages.csv --target topic
samara: data/messages.csv has no column 'txt'; did you mean 'text'?
[status 2]
$ samara train "words topic | knn" data/messages.csv --target topic
samara: column 'topic' is to be read as text, but it is the target, a weight, or ignored
[status 2]
$ samara train "words | knn" data/iris.csv --target species
samara: words: no column is taken as text; name one: "words COLUMN", or --type COLUMN=text (while fitting stage 1, words)
[status 1]
$ samara train "words min_n=3 max_n=2 | knn" data/messages.csv --target topic
samara: words: min_n=3 is more than max_n=2
[status 2]
$ samara train "words weight=idf | knn" data/messages.csv --target topic
samara: words: weight = idf is none of count, binary, tf, log or tfidf
[status 2]
$ printf 'text,y\n!!,1\n??,2\n..,3\n' > marks.csv; samara train words marks.csv --target y
samara: words: the texts of the training rows hold no word at all
[status 1]

# The same bytes at 1, 2 and 7 threads.
$ for n in 1 2 7; do samara train "words max_n=2 weight=tfidf | knn" data/messages.csv --target topic --threads $n -o $n.smr -q; done; cmp 1.smr 2.smr && cmp 1.smr 7.smr && echo same
same

# A name that ends in .tsv promises tabs: commas belong to the text.
$ samara train "words | logistic" data/messages.csv --target topic -o t.smr -q; printf 'text\nMy chain, my bike, needs oil\nThe soup, however, needs salt\n' > one.tsv; samara predict t.smr one.tsv
topic
cycling
cooking
$ gzip -k one.tsv; samara describe one.tsv.gz | head -3; cp one.tsv one.csv; samara predict t.smr one.csv
one.tsv.gz: 2 rows, 1 column
  format     csv
  delimiter  none, one column
samara: one.csv:2: wanted 1 fields as in the first row, got 3 in 'My chain, my bike, needs oil'; put fields that hold the delimiter in quotes
[status 1]
