import { Code, List, Text } from '@mantine/core';
import { publicAddress } from '../../../api/public-address';
import { CodeBlock } from '../../../components/copy/code-block';
import { Step } from '../../../components/guide/steps';

/** Field of a callback → what it brings. The same as in docs/connect-whatsapp.md. */
const FIELDS: readonly (readonly [names: readonly string[], meaning: string])[] = [
  [['messages'], 'messages, receipts, prices'],
  [['smb_message_echoes'], 'what you write in the app on your phone'],
  [
    ['message_template_status_update', 'message_template_components_update', 'template_category_update'],
    'changes of templates',
  ],
  [
    ['account_update', 'account_alerts', 'phone_number_quality_update', 'message_template_quality_update'],
    'bans, alerts and ratings',
  ],
  [['calls'], 'missed calls'],
  [['user_preferences'], 'people who stop or allow your marketing messages'],
];

const SUBSCRIBE =
  'curl -X POST "https://graph.facebook.com/v26.0/BUSINESS_ACCOUNT_ID/subscribed_apps" -H "Authorization: Bearer ACCESS_TOKEN"';

/** WhatsApp: Meta learns where the gateway is. @param verifyToken undefined after a reload of the page */
export function CallbackSteps({ number, verifyToken }: { number: number; verifyToken: string | undefined }) {
  const address = `${publicAddress()}/callbacks/whatsapp`;
  return (
    <>
      <Step number={number} title="Tell Meta the address of the gateway">
        <Text size="sm" mb={6}>
          In the app, open <b>WhatsApp › Configuration</b>. Paste the callback URL and the verify token, and press{' '}
          <b>Verify and save</b>.
        </Text>
        <Text size="sm" fw={550}>
          Callback URL
        </Text>
        <CodeBlock code={address} label="callback URL" />
        {!address.startsWith('https:') && (
          <Text size="sm" c="var(--notice-warning)">
            Meta accepts only an https address that it reaches from the internet. Use the public one of this gateway.
          </Text>
        )}
        <Text size="sm" fw={550} mt="xs">
          Verify token
        </Text>
        {verifyToken === undefined ? (
          'The text that you pasted before.'
        ) : (
          <CodeBlock code={verifyToken} label="verify token" />
        )}
        <Text size="sm" mt="xs">
          Then press <b>Manage</b> and subscribe to these fields:
        </Text>
        <List size="sm">
          {FIELDS.map(([names, meaning]) => (
            <List.Item key={meaning}>
              {names.map((name) => (
                <span key={name}>
                  <Code>{name}</Code>{' '}
                </span>
              ))}
              {meaning}
            </List.Item>
          ))}
        </List>
      </Step>
      <Step number={number + 1} title="Subscribe the app to your account">
        A number of your own needs this once; without it, nothing arrives. The test number works without it. Run it with
        your WhatsApp Business Account ID and the permanent token:
        <CodeBlock code={SUBSCRIBE} label="curl command" />
      </Step>
    </>
  );
}
