import type { RequestExamples } from '../../core/openapi/api-examples.decorator';

export const SEND_EXAMPLES: RequestExamples = {
  text: {
    summary: 'A text',
    value: { platform: 'telegram', recipient: '48213907', message: 'Your order has been shipped.' },
  },
  markdown: {
    summary: 'Markdown without notification sound and link preview',
    value: {
      platform: 'discord',
      recipient: '1153278643296538685',
      message: '**Shipped**: [follow your order](https://example.com/orders/4711)',
      options: { parse_mode: 'markdown', disable_notification: true, link_preview: false },
    },
  },
  reply: {
    summary: 'A reply to a message',
    value: {
      platform: 'whatsapp',
      recipient: '15550109999',
      message: 'Of course, until Friday.',
      options: { reply_to: 'msg_01h455vb4pex5vsknk084sn02q' },
    },
  },
  file: {
    summary: 'A file with a caption',
    value: {
      platform: 'telegram',
      recipient: '48213907',
      message: 'Your receipt.',
      attachments: [{ id: 'att_01h455vb4pex5vsknk084sn02q' }],
    },
  },
  template: {
    summary: 'A template, outside the reply window of WhatsApp',
    value: {
      platform: 'whatsapp',
      recipient: '15550109999',
      template: {
        name: 'order_update',
        language: 'en_US',
        parameters: { header: '4711', body: ['Ada', 'ready'], buttons: ['4711'] },
      },
    },
  },
  interactive: {
    summary: 'Buttons',
    value: {
      platform: 'telegram',
      recipient: '48213907',
      message: 'Shall we confirm Tuesday at three?',
      interactive: {
        type: 'choice',
        options: [
          { id: 'yes', title: 'Yes, please' },
          { id: 'no', title: 'Another day' },
        ],
      },
    },
  },
  sandboxFailure: {
    summary: 'With a test key: a message that fails',
    value: { platform: 'telegram', recipient: 'sandbox_fail', message: 'This will not arrive.' },
  },
};
