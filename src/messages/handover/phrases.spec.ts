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
