#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts comments, messages and sentences that contain a turn of phrase from the list below. Used by check-prose.sh:
#
#   prose.pl comments|messages|pages [--list] FILE...
#
# comments: comments of C, JavaScript, Lua, shell, Python and Perl files. messages: string literals of C files with at least four
# words. pages: sentences of Markdown files, without code and tables. Prints "HITS TOTAL". With --list, first prints each place.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

# Each turn of phrase has better words in CONTRIBUTING.md, section "How we write".
my %turns = (
    'a clause that begins with who or what, without a noun' => qr/(?:^|[.;:,]\ |\b(?:of|for|by|to|as|with|in|from|and|that|when)\ )
        (?:[Ww]ho|[Ww]hoever|[Ww]hat)\ (?:is|are|was|were|has|have|had|it|they|he|the|a|an|we|can|may|must|does|do|did|no|none
        |nobody|comes|came|goes|went|[a-z]+s)\b/x,
    'begins with Of, Behind or Beside, or with Where, With, Also or Then and has no main clause' =>
        qr/^(?:Of|Behind|Beside|Besides|Likewise) |^(?:Where|With|Also|Then) [^,]*$/,
    "'so many', 'so long' without 'as' or 'that'" => qr/\b[Ss]o (?:many|much|long|late|far|often|early|few)\b(?! (?:as|that))/,
    'behind or beside for after or in addition to' => qr/(?<!fall\ )(?<!falls\ )(?<!fell\ )(?<!far\ )\b(?:[Bb]ehind|[Bb]esides?)\b
        (?!\ schedule|\ the\ primary|\ the\ source|\ a\ proxy|\ a\ pooler|\ pgbouncer)/x,
    'nobody or somebody for a thread or a file' => qr/\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b/,
    'stands or lies for is' => qr/\b(?:stands?|stood|lies|lay|standing)\b(?! by| still| for)/,
    'anew, for ever, meanwhile, likewise' => qr/\b(?:anew|for ever|meanwhile|likewise|any more)\b/,
    'has not X, knows no, is none' => qr/\b(?:has\ not\ (?:the|a|an|any|it)\b|knows\ no|has\ none|have\ none|is\ none|are\ none
        |there\ is\ none|was\ none|had\ none)\b/x,
    'tell or told for report, log or send' => qr/\b(?:tells?|told|telling)\b/,
    'of others' => qr/\bof others\b/,
);

# A short text with four or more pronouns.
sub crowded {
    my @words = $_[0] =~ /[A-Za-z']+/g;
    return @words <= 30 && 4 <= grep { /^(?:it|that|this|these|those|one|ones|such|them|its)$/i } @words;
}

sub line_at { return 1 + (substr($_[0], 0, $_[1]) =~ tr/\n//) }

sub comments {
    my ($name, $text) = @_;
    my $start = $name =~ /\.lua$/ ? qr/--(?!\[\[)/ : $name =~ /\.(?:sh|py|pl)$/ ? qr/#(?!!)/ : undef;
    my $comment = $start ? qr/((?:^[ \t]*$start[^\n]*\n)+)/m : qr{/\*(.*?)\*/}s;
    my @found;
    while ($text =~ /$comment/g) {
        my $at = line_at($text, $-[0]);
        my $words = join ' ', grep { length } map { s/^\s*(?:\*+|--|#+)//r =~ s/^\s+|\s+$//gr } split /\n/, $1;
        push @found, [$at, $words] if $words =~ /[a-z]{3}/ && $words !~ /SPDX/;
    }
    return @found;
}

sub messages {
    my ($name, $text) = @_;
    my @found;
    while ($text =~ /((?:"(?:[^"\\\n]|\\.)*"\s*)+)/g) {
        my $at = line_at($text, $-[0]);
        my $words = join '', $1 =~ /"((?:[^"\\\n]|\\.)*)"/g;
        push @found, [$at, $words] if 4 <= (() = $words =~ /(?<![\w%-])[a-z]{2,}(?![\w(])/g);
    }
    return @found;
}

sub pages {
    my ($name, $text) = @_;
    $text =~ s/^```.*?^```$|^    [^\n]*$|^\|[^\n]*$|`[^`]*`/"\n" x (() = $& =~ m{\n}g)/gmse;
    my @found;
    while ($text =~ /([^.\n][^.]*\.)/g) {
        push @found, [line_at($text, $-[0]), join ' ', split ' ', $1];
    }
    return @found;
}

my %readers = (comments => \&comments, messages => \&messages, pages => \&pages);
my $kind = shift // '';
my $reader = $readers{$kind} or die "usage: prose.pl comments|messages|pages [--list] FILE...\n";
my $list = @ARGV && $ARGV[0] eq '--list' ? shift : '';
my ($hits, $total) = (0, 0);
for my $name (@ARGV) {
    open my $file, '<', $name or die "$name: $!\n";
    my $text = do { local $/; <$file> };
    for my $found ($reader->($name, $text // '')) {
        my ($at, $words) = @$found;
        my @why = grep { $words =~ $turns{$_} } sort keys %turns;
        push @why, 'many pronouns' if crowded($words);
        $total++;
        $hits++ if @why;
        print "$name:$at: [$_] ", substr($words, 0, 160), "\n" for $list ? @why : ();
    }
}
print "$hits $total\n";
