import type { CreatedWebhook } from '#client';
import { WEBHOOK_SAMPLE } from '../../components/copy/receiver-sample';
import { ShownOnce } from '../../components/shown-once';

/** Shows the secret of a new webhook, with a sample receiver. */
export function WebhookSecret({ created: { secret = '' }, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  return (
    <ShownOnce
      title="The webhook is created"
      label="secret"
      value={secret}
      use={{ title: 'Verify a delivery', code: WEBHOOK_SAMPLE, label: 'code sample' }}
      onClose={onClose}
    />
  );
}
