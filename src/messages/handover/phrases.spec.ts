import { holdsPhrase } from './phrases';

describe(holdsPhrase.name, () => {
  it.each([
    ['a phrase', 'I want to talk to a person, please', 'a person'],
    ['another case', 'A PERSON!', 'a person'],
    ['a capital that has two letters', 'DIE STRASSE', 'straße'],
    ['a final sigma', 'ο ΆΝΘΡΩΠΟΣ εδώ', 'άνθρωπος'],
    ['composed and decomposed letters', 'un caf\u0065\u0301', 'café'],
    ['other white space', 'a\n  person', 'a person'],
    ['a phrase beside punctuation', '«человек»?', 'ЧЕЛОВЕК'],
    ['a phrase without spaces around it, where the script has none', '我要找人工客服谢谢', '人工客服'],
    ['Latin words between characters of a script without spaces', '请找human服务', 'human'],
    ['Thai', 'ขอคุยกับเจ้าหน้าที่ครับ', 'เจ้าหน้าที่'],
    ['a second occurrence, if the first is part of a word', 'agents: an agent', 'agent'],
  ])('finds %s', (_, text, phrase) => {
    expect(holdsPhrase(text, ['nothing else', phrase])).toBe(true);
  });

  it.each([
    ['a phrase that is blank', 'a person', '\u00A0'],
    ['a phrase as a pattern', 'a person', 'a p.*'],
    ['part of a word', 'a personal question', 'a person'],
    ['a word with a prefix', 'superhuman', 'human'],
    ['a word that continues with a mark', 'person\u0301', 'person'],
    ['a word that continues with a digit or underscore', 'agent_7 agent7', 'agent'],
    ['the dotless letter in place of the dotted', 'kısa', 'kisa'],
    ['an emoji that is not in the text', 'a person', '🙂'],
  ])('does not find %s', (_, text, phrase) => {
    expect(holdsPhrase(text, [phrase])).toBe(false);
  });
});

describe('a hostile message to search for phrases', () => {
  const MOST = 16_384;
  const phrases = Array.from({ length: 50 }, (_, index) => `${'a person '.repeat(6)}${'a'.repeat(index + 1)}`);

  it.each([
    ['of characters that expand to 18', '\u{FDFA}'.repeat(MOST)],
    ['of characters that expand to 4', '\u3304'.repeat(MOST)],
    ['of marks that must be sorted', '\u0315\u0316'.repeat(MOST / 2)],
    ['of marks that expand', `a${'\u0344'.repeat(MOST - 1)}`],
    ['of runs of marks that are as long as they may be', `a${'\u0315\u0316'.repeat(15)}`.repeat(MOST / 31)],
    ['of words that begin as each phrase', 'a person '.repeat(MOST / 9)],
    ['of words of one letter', 'a '.repeat(MOST / 2)],
    ['of one letter', 'a'.repeat(MOST)],
    ['of white space', ' '.repeat(MOST)],
    ['of characters with two UTF-16 units', '\u{1D160}'.repeat(MOST)],
  ])('%s takes less than 50 ms of CPU', (_, text) => {
    holdsPhrase('warm', phrases);
    const before = process.cpuUsage();
    holdsPhrase(text, phrases);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(50);
  });
});
