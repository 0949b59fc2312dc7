"""What a call may do is decided by people, and each acts with their own accounts (issue E, 1 to 5).

`attacks.*` hold with a model that does whatever any text it reads says.
"""

ROWS = """
RELIABILITY R27
    consent.approve: An approved call is made once, as it was shown, and stands in the audit.
    consent.reject: A rejected call is not made, and the model gets the reason.
    consent.once: What was decided stays decided.
    consent.exact: An approval does not hold once the account or the tool is another.
    consent.several: Two calls of one step are decided one after the other.
    consent.thread: An approval for the thread covers the same tool and account alone.
    consent.overtaken: Words in the thread are no approval, and take the request back.
    consent.stop: A stop takes the request back.
    consent.away: While Composio is away nothing is asked and nothing is done.
    attacks.changed: A call that was altered after its approval was asked is not made.
    attacks.replay: An approval is used once, and the same words elsewhere are asked for anew.
    attacks.forged: A forged or foreign id decides nothing.
    attacks.at_once: Of many who decide at once, one counts.
    attacks.same_id: Of two calls that share an id, one approval lets one through.
    attacks.whole: What is shown for approval is the whole of what is done, however long.
    attacks.thread_server: An approval for the thread covers no other server's tool of that name.
RELIABILITY R28
    consent.who: Nobody but the asker and the approvers decides.
    attacks.strangers: Nobody of another team or with a name that looks alike decides.
    attacks.words: Words that say approved, by whomever, approve nothing.
RELIABILITY F-A1
    consent.restart: An approval that is open survives a restart.
RELIABILITY F-A3
    consent.expiry: An approval that comes after its deadline is refused.
    attacks.late: An approval that was given in time is not used much later.
RELIABILITY R29
    consent.tainted: After text from outside every effect asks, each time.
    attacks.effects: No text from outside has an effect without an approval.
    attacks.leaks: No text from outside gets the conversation into an address that is fetched.
    attacks.notes: What a page wants noted is still from outside the next day, after a restart.
    attacks.later_turn: A session that has read from outside stays tainted in its later turns.
    attacks.sub_agent: A sub-agent taints its parent, and its words are no source of addresses.
    attacks.scheduled: A digest that reads orders does nothing and asks nobody.
    attacks.arrivals: Earlier posts of a thread and files that come along are from outside.
    attacks.one_word: A result without white space is from outside if it may hold a sentence.
    attacks.batch_taints: A read inside of a batch taints as well.
    attacks.thread_taint: Nothing is allowed for a thread that read from outside meanwhile.
    attacks.result_taints: A result with orders taints before the model reads it.
    attacks.hints: No hint of a server spares an approval, and no server takes another's name.
    attacks.description: A description that gives orders gets no private file and no effect.
    attacks.parameter: An argument that no tool needs is asked for even in a reading.
    attacks.benign_reads: Research and mails that are only read ask for nothing.
    attacks.benign_effects: Each effect is approved once and happens once.
    attacks.benign_batch: A batch of reads and one effect is approved once.
    attacks.benign_connect: Connecting an account asks for no approval.
RELIABILITY R30
    connect.missing: A missing account is asked of its person, and the call goes on with it.
    connect.notices: The wait ends by itself once Composio says that the account is there.
    connect.done: Who says that it is done is believed as far as Composio agrees.
    connect.skip: A person may go on without connecting.
    accounts.asker: Whoever steers is asked for their own account.
    accounts.thousand: Of 1,000 interleaved calls of two teams none uses another's account.
    accounts.shared: A setting by which everybody would act with one account ends the start.
    accounts.named: An account that somebody names is no way into another person's.
    accounts.two_people: In a thread of two, each call is done with its asker's account.
    accounts.no_fallback: Without an account the asker alone is asked to connect one.
RELIABILITY R39
    connect.link_private: A link to connect an account reaches nobody but its person.
    attacks.own_link: The person's own link is in no event, request or file, however long.
    attacks.foreign_link: A link to connect that an app, a mail or a page names is shown to nobody.
issue E §Checks
    hands.mail: A report is mailed from the asker's account, after connecting and approving.
    hands.wrong_person: Another person can neither connect nor approve for the asker.
"""
