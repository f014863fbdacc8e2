import type { PlatformTemplate } from '#platforms';

/** The templates that test keys see: without parameters, with positional ones, and with named ones in German. */
export const SANDBOX_TEMPLATES: readonly PlatformTemplate[] = [
  {
    id: 'sandbox-1',
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome, and thank you for your message.' },
      { type: 'FOOTER', text: 'Sandbox' },
    ],
  },
  {
    id: 'sandbox-2',
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'Hello {{1}}, your order is now {{2}}.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Follow', url: 'https://example.com/orders/{{1}}' },
          { type: 'QUICK_REPLY', text: 'Stop updates' },
        ],
      },
    ],
  },
  {
    id: 'sandbox-3',
    name: 'termin_erinnerung',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'NAMED',
    components: [{ type: 'BODY', text: 'Hallo {{name}}, wir sehen uns am {{tag}} um {{uhrzeit}} Uhr.' }],
  },
];
