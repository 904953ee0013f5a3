# Who rated what, and what users would say of items; those that training never saw are told.
$ printf 'who,what,stars\nann,a,5\nann,b,1\nbob,a,4\nbob,b,2\ncy,a,5\ncy,c,2\ndee,b,1\ndee,c,1\n' > eight.csv; samara train "factor 0" eight.csv --user who --item what --target stars --holdout 0 -o eight.smr -q
$ printf 'who,what\nann,c\neve,a\nann,d\neve,d\n' > asked.csv; samara predict eight.smr asked.csv
samara: warning: 2 of 4 rows have a missing user in column 'who', or one that did not occur in training
samara: warning: 2 of 4 rows have a missing item in column 'what', or one that did not occur in training
stars
1.5247175431375575
4.478208072335702
2.631823243069121
2.625
$ samara inspect eight.smr | tail -27
   pairs                  8
   ratings                8
   mean                   2.625
   users_without_ratings  0
   items_without_ratings  0
   training_rmse          0.353894
   rated_most
     item      bias  ratings     mean
     a      1.85321        3  4.66667
     b     -1.11514        3  1.33333
     c     -1.10711        2      1.5
   rated_best
     item      bias  ratings     mean
     a      1.85321        3  4.66667
     c     -1.10711        2      1.5
     b     -1.11514        3  1.33333
   rated_worst
     item      bias  ratings     mean
     b     -1.11514        3  1.33333
     c     -1.10711        2      1.5
     a      1.85321        3  4.66667
   users_far_from_the_mean
     user        bias
     dee     -0.50978
     cy      0.496133
     ann   0.00682324
     bob   0.00682324
$ samara trace "factor 2 max_iter=2" eight.csv --user who --item what --target stars --plain
samara: there is no option '--plain'; 'samara help' lists them
[status 2]

# The latest of several ratings counts where times are known; else all do.
$ printf 'who,what,stars,day\nann,a,5,2\nann,a,1,1\nbob,a,3,1\nbob,b,4,2\n' > again.csv; samara train "factor 0" again.csv --user who --item what --target stars --time-column day --holdout 0 -o again.smr -q; samara inspect again.smr | grep "   mean   \|repeated"
   ratings_repeated       1
   mean                   4
$ samara train "factor 0" again.csv --user who --item what --target stars --ignore day --holdout 0 -o again.smr -q; samara inspect again.smr | grep "   mean   \|repeated"
   ratings_repeated       1
   mean                   3.25

# What it cannot learn from.
$ samara train factor eight.csv --target stars
samara: factor learns who rated what: name the columns with --user and --item (while fitting stage 2, factor)
[status 2]
$ samara train factor eight.csv --user who --target stars
samara: factor learns who rated what: name the columns with --user and --item (while fitting stage 2, factor)
[status 2]
$ samara train factor eight.csv --user who --item what
samara: factor learns from ratings: name their column with --target
[status 2]
$ samara train factor again.csv --user who --item what --target stars
samara: factor reads users, items and ratings alone, and column 'day' is a feature; leave it out with --ignore
[status 2]
$ samara train factor eight.csv --user who --item stars --target what
samara: the target 'what' holds text, and factor predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train factor eight.csv --user who --item who --target stars
samara: column 'who' is named as user and as item
[status 2]
$ samara train "factor l2=0" eight.csv --user who --item what --target stars
samara: factor: with l2=0 the factors of whoever has fewer than k ratings are not determined; give an l2 above 0, or method=sgd
[status 2]
$ samara train "factor rate=0.1" eight.csv --user who --item what --target stars
samara: factor: rate is used only with method=sgd
[status 2]
$ samara train "factor method=sgd rate=1 l2=5" eight.csv --user who --item what --target stars
samara: factor: the steps run away in epoch 3; lower rate=, or raise l2=
[status 1]
$ samara train "factor -1" eight.csv --user who --item what --target stars
samara: factor: k = -1 is outside [0, 10000]
[status 2]
$ samara predict eight.smr again.csv -q | head -2; printf 'who\nann\n' > half.csv; samara predict eight.smr half.csv
stars
4.485031315404823
samara: half.csv has no column 'what', which holds the model's items
[status 1]
