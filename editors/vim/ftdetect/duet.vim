autocmd BufNewFile,BufRead *.duet setfiletype duet
