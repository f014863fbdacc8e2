import type { CreatedWebhook } from '#client';
import { ShownOnce } from '../../components/shown-once';
import { VERIFY_SAMPLE } from './verify-sample';

/** Shows the secret of a new webhook, with a sample receiver. */
export function WebhookSecret({ created: { secret = '' }, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  return (
    <ShownOnce
      title="The webhook is created"
      label="secret"
      value={secret}
      use={{ title: 'Verify a delivery', code: VERIFY_SAMPLE, label: 'code sample' }}
      onClose={onClose}
    />
  );
}
