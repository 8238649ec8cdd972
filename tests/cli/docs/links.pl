# SPDX-License-Identifier: GPL-2.0-or-later
#
# links.pl FILE...: prints the links of these Markdown files that lead to a file or to a heading that is not there.
use strict;
use warnings;
use File::Basename;

# The names of a file's headings, as GitHub makes them.
sub anchors {
    my ($path) = @_;
    open my $file, '<:utf8', $path or return;
    my %names;
    my $block;
    while (<$file>) {
        $block = !$block if /^```/;
        next if $block || !/^#+ (.*?)\s*$/;
        my $name = lc $1;
        $name =~ s/[^\w\- ]//g;
        $name =~ tr/ /-/;
        $names{$name} = 1;
    }
    return \%names;
}

for my $path (@ARGV) {
    open my $file, '<:utf8', $path or die "$path: $!\n";
    my $text = join '', <$file>;
    $text =~ s/^```.*?^```//gms;
    $text =~ s/`[^`\n]*`//g;
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my ($target, $anchor) = split /#/, $1;
        next if $target =~ /^[a-z]+:/;
        my $there = $target eq '' ? $path : dirname($path) . "/$target";
        my $known = !defined $anchor || (anchors($there) // {})->{$anchor};
        print "$path: $1\n" unless -e $there && $known;
    }
}
