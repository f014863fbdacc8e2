import { noAnswer } from './no-answer';

describe(noAnswer.name, () => {
  it.each([
    [{ message: 'The AI is overloaded', next_try_at: null }, 'No answer: the AI is overloaded.'],
    [{ message: 'AI calls are off.', next_try_at: null }, 'No answer: AI calls are off.'],
    [{ message: null, next_try_at: null }, 'No answer.'],
  ])('says %j as: %s', (error, sentence) => {
    expect(noAnswer({ code: 'overloaded', ...error })).toBe(sentence);
  });

  it('says when the gateway tries again', () => {
    const error = { code: 'overloaded', message: 'The AI is overloaded', next_try_at: '2026-01-31T07:46:20.000Z' };
    expect(noAnswer(error)).toMatch(/^No answer: the AI is overloaded\. Next try .*46:20.*\.$/);
  });
});
