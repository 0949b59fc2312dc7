# The words that a report's page adds to the text.

summary = Executive summary
contents = Contents
sources = Sources
snippet = search result, not read in full
copy = same text as source { $n }, counted once
unread = This report rests on search results alone: none of its sources was read in full.
report = Research report
source-count =
    { $n ->
        [one] { $n } source
       *[other] { $n } sources
    }
publisher-count =
    { $n ->
        [one] { $n } publisher
       *[other] { $n } publishers
    }
reading-time = { $n } min read
version = Version { $version }
version-new =
    { $n ->
        [one] Version { $version }: new section { $what }
       *[other] Version { $version }: new sections { $what }
    }
unfound = not found in the source
sourceless = no source named
claim-count =
    { $n ->
        [one] { $n } claim
       *[other] { $n } claims
    }
all-found =
    { $n ->
        [one] found in its source
       *[other] all found in their sources
    }
found = { $n } found word for word or by value
derived = { $n } derived
unfound-count = { $n } not found
shortfall = This report rests on few sources: { $sources } of { $publishers ->
        [one] one publisher
       *[other] { $publishers } publishers
    }. A comprehensive one should have at least { $enough_sources } of { $enough_publishers }.
table = Table
scrolls = More columns: scroll sideways
passages = Passages that the text rests on
top = Back to top
footer = Numbers in brackets lead to the source a sentence rests on.

# Headings by which an author means the part that the page makes by itself.

summary-names = executive summary, summary, management summary
contents-names = table of contents, contents, toc
sources-names = sources, references, bibliography, sources cited, works cited, citations, sources and references, references and sources
