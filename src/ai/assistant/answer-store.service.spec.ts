import { DatabaseError } from 'pg';
import { DatabaseUnavailableError } from '../../core/database/outage.service';
import type { AiAnswer } from '../ai-call';
import { AnswerStore, UnstorableAnswerError } from './answer-store.service';
import { LeaseLostError } from './reply-tasks.service';

const refusal = (code: string) => Object.assign(new DatabaseError('refused', 7, 'error'), { code });

describe(AnswerStore.name, () => {
  /** Stores an answer by a statement that the test scripts. */
  function makeSut(acceptAnswer: () => Promise<unknown>, isHeld = false) {
    const billUnstored = jest.fn<Promise<void>, []>().mockResolvedValue();
    const answer = {
      completion: { text: 'At nine.', model: 'm', tokens: { input: 1, output: 2 }, latencyMs: 3 },
      costUsd: 0,
      billRows: () => ['[]', '[]', '[]'],
      billUnstored,
    } as unknown as AiAnswer;
    const tasks = { isHeld: () => Promise.resolve(isHeld) };
    const sut = new AnswerStore({ acceptAnswer } as never, tasks as never, {} as never, {} as never, {} as never);
    const context = { range: { answers: { from: 1, to: 1 } } };
    return { stored: sut.store({} as never, context as never, answer), billUnstored };
  }

  it.each([
    ['the database is unavailable', () => Promise.reject(new DatabaseUnavailableError()), DatabaseUnavailableError],
    ['the database refuses it', () => Promise.reject(refusal('22P05')), UnstorableAnswerError],
    ['the pool has no connection', () => Promise.reject(new Error('timeout exceeded when trying to connect')), Error],
    ['the database stops', () => Promise.reject(refusal('57P01')), DatabaseError],
  ])('bills an answer separately when %s', async (_, acceptAnswer, kind) => {
    const { stored, billUnstored } = makeSut(acceptAnswer);
    await expect(stored).rejects.toBeInstanceOf(kind);
    expect(billUnstored).toHaveBeenCalledTimes(1);
  });

  it('bills nothing separately when another instance holds the reply, because the statement has billed it', async () => {
    const { stored, billUnstored } = makeSut(() => Promise.resolve(undefined));
    await expect(stored).rejects.toBeInstanceOf(LeaseLostError);
    expect(billUnstored).not.toHaveBeenCalled();
  });

  it('stores no message when a person took the conversation over', async () => {
    const { stored, billUnstored } = makeSut(() => Promise.resolve(undefined), true);
    expect(await stored).toBeUndefined();
    expect(billUnstored).not.toHaveBeenCalled();
  });

  it.each([
    ['the connection broke', new Error('Connection terminated unexpectedly')],
    ['a pooler lost its connection', refusal('08P01')],
  ])('bills nothing separately when it is unknown whether the answer was stored: %s', async (_, error) => {
    const { stored, billUnstored } = makeSut(() => Promise.reject(error));
    await expect(stored).rejects.toBe(error);
    expect(billUnstored).not.toHaveBeenCalled();
  });
});
