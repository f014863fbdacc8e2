import { wantsEventStream } from './event-stream';

describe(wantsEventStream.name, () => {
  it.each([
    'text/event-stream',
    'Text/Event-Stream',
    'text/event-stream; charset=utf-8',
    'application/json, text/event-stream',
    'text/event-stream, */*;q=0.1',
    'application/json;q=0.5,text/event-stream;q=0.8',
    'application/json ; q=0 , text/event-stream ; Q=0.1',
  ])('accepts %j', (accept) => {
    expect(wantsEventStream({ headers: { accept } })).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'text/event-streams',
    'text/event-stream;q=0',
    'text/event-stream;q=much',
    'application/json, text/event-stream;q=0.5',
    'text/event-stream;q=0.5, application/*',
    'text/event-stream;q=0.9, */*',
  ])('refuses %j', (accept) => {
    expect(wantsEventStream({ headers: { accept } })).toBe(false);
  });
});
