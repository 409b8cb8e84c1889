# start.S - where the SPE begins: a stack, main, and the stop code that libspe2 reads as an exit with the
# result of main.
#
# The C library's start would bring atexit and constructors along, and there is no room for either.

	.section .text.start, "ax", @progbits
	.global _start
	.type	_start, @function
_start:
	ila	$1, 0x3ffe0		# top of the local store, below a frame for main to save its link in
	il	$0, 0
	stqd	$0, 0($1)		# end of the back chain
	brsl	$0, main		# $3 .. $5 are main's arguments already
	shli	$3, $3, 2
	ila	$2, stops
	a	$2, $2, $3
	bi	$2
stops:					# one for each enum meu_status
	stop	0x2000
	stop	0x2001
	stop	0x2002
	stop	0x2003
	stop	0x2004
	stop	0x2005
	.size	_start, . - _start
