" Vim syntax file. Language: Duet, the programs of duetpy. Written by tools/highlighting.py from the grammar.
if exists("b:current_syntax")
  finish
endif
scriptencoding utf-8
syntax case match
syntax match duetType "?\|℘\|∀\|★"
syntax match duetPunctuation "#\|(\|)\|,\|\.\|:\|;\|@\|\[\|\]\|{\||\|}\|⟨\|⟩\|⧼\|⧽"
syntax match duetPrimitive "∇\|√\|㏒"
syntax match duetOperator "%\|&\|\*\|+\|-\|\/\|<\|=\|>\|¬\|×\|←\|→\|↦\|⇒\|∈\|∧\|∨\|∷\|≟\|≠\|≡\|≤\|≥\|⊓\|⊔\|⊸\|⋅\|⧺"
syntax match duetConstant "∞"
syntax match duetPunctuation "\.>\|<\.\|<|\||>"
syntax match duetOperator "|->\|!=\|\*\*\|++\|->\|::\|<-\|<=\|==\|=>\|>=\|⊸⋆"
syntax match duetOperator "-o\*\?[A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\@!"
syntax match duetName "[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ][A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]*\%(-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ][A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]*\)*"
syntax match duetMechanism "\%(AboveThreshold\|noisy-descent\|exponential\|key-counts\|canonical\|key-gauss\|noisy-max\|pfld-rows\|rand-resp\|dlaplace\|mlaplace\|parallel\|pmap-col\|rand-nat\|laplace\|poisson\|shuffle\|bgauss\|dgauss\|ggauss\|mgauss\|sample\|EPSDP\|RENYI\|aloop\|gauss\|gibbs\|given\|mmapp\|TCDP\|ZCDP\|keys\|GDP\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetKeyword "\%(CSVtoMatrix\|partitionDF\|mfold-row\|joinDF1\|joinDF₁\|mcreate\|mfilter\|joinDF\|matrix\|opaque\|return\|boxed\|case\|else\|flat\|loop\|some\|then\|inl\|inr\|set\|LR\|if\|in\|on\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetPrimitive "\%(month-start\|is-missing\|add-days\|addColDF\|contains\|distinct\|elements\|mmap-col\|mmap-row\|stepgrad\|unionAll\|or-else\|rowgrad\|weekday\|chunks\|length\|number\|prefix\|renorm\|starts\|suffix\|count\|dates\|discf\|first\|floor\|join1\|join₁\|lower\|mapDF\|mclip\|mconv\|month\|round\|ugrad\|unbox\|upper\|bmap\|ceil\|clip\|cols\|conv\|days\|disc\|grad\|last\|mmap\|mode\|real\|rows\|sign\|sqrt\|tanh\|text\|trim\|year\|abs\|box\|day\|dyn\|exp\|fst\|idx\|log\|snd\|zip\|tr\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetDeclaration "\%(ensures\|import\|notion\|static\|plam\|slam\|def\|let\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetType "\%(persons\|Matrix\|disc_t\|forall\|record\|Bool\|Date\|Disc\|Linf\|Real\|Type\|Idx\|Nat\|Set\|Str\|bag\|DF\|L1\|L2\|𝔻𝔽\|U\|ℕ\|ℝ\|𝐝\|𝔹\|𝔻\|𝕀\|𝕄\|𝕊\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetOperator "\%(in_set\|and\|max\|min\|not\|or\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetConstant "\%(false\|auto\|date\|none\|true\|inf\)\%([A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\|-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]\)\@!"
syntax match duetType "ℝ⁺"
syntax match duetType "L∞"
syntax match duetPrimitive "U∇"
syntax match duetPrimitive "row∇"
syntax match duetPrimitive "step∇"
syntax match duetType "☆K"
syntax match duetDeclaration "sλ"
syntax match duetDeclaration "pλ"
syntax match duetType "𝐝\ze[ℕℝ𝔻𝔹𝕊𝕀𝕄]"
syntax match duetType "Real+\ze\s*\%([[,.⇒]\|=>\|--\|{-\)"
syntax match duetField "\S\@1<=\.[A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ][A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]*\%(-\%(o\s*\[\)\@![A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ][A-Za-z0-9_'′₀-₉À-ÖØ-öø-ɏͰ-ϿЀ-ӿḀ-ỿ]*\)*"
syntax match duetNumber "\d\+\%(_\d\+\)*\%(\.\d\+\%(_\d\+\)*\)\?\%([eE][+-]\?\d\+\)\?"
syntax match duetString "\"\%([^\"\\]\|\\.\)*\""
syntax match duetComment "--.*$"
syntax region duetComment start="{-" end="-}" contains=duetComment
syntax sync fromstart
highlight default link duetMechanism Special
highlight default link duetConstant Constant
highlight default link duetPrimitive Function
highlight default link duetType Type
highlight default link duetDeclaration StorageClass
highlight default link duetKeyword Keyword
highlight default link duetOperator Operator
highlight default link duetPunctuation Delimiter
highlight default link duetName Identifier
highlight default link duetField Identifier
highlight default link duetNumber Number
highlight default link duetString String
highlight default link duetComment Comment
let b:current_syntax = "duet"
