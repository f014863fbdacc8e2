import Ajv2020 from 'ajv/dist/2020';
import { EVENT_TYPES, EVENTS, type EventData } from './events';

describe('EVENTS', () => {
  it('has the fourteen event types of the specification, and ten more', () => {
    const ofConversations = EVENT_TYPES.filter((type) => type.startsWith('conversation.'));
    expect(ofConversations).toHaveLength(4);
    expect(EVENT_TYPES).toHaveLength(14 + 4 + 2 + 2 + 1 + 1);
  });

  it.each(EVENT_TYPES)('%s has a valid schema that requires the environment and allows no other field', (type) => {
    const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(EVENTS[type].schema);
    expect(validate({})).toBe(false);
    expect(EVENTS[type].schema).toMatchObject({
      additionalProperties: false,
      required: expect.arrayContaining(['environment']),
    });
  });

  it('has schemas that match the TypeScript types', () => {
    const data: EventData<'message.sent'> = {
      message_id: 'msg_1',
      conversation_id: 'conv_1',
      platform: 'telegram',
      account: { id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'default' },
      environment: 'live',
      recipient: { id: '1', name: null },
      attachments: [],
      content: 'hello',
      ai_model: null,
      tokens: null,
      latency_ms: 3,
    };
    expect(
      new Ajv2020({ strict: false, formats: { 'date-time': true } }).validate(EVENTS['message.sent'].schema, data),
    ).toBe(true);
  });
});
