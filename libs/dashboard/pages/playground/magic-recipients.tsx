import { Button, Code, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { showFault } from '../../components/feedback/notify';
import { Section } from '../../components/section';
import classes from './playground.module.css';

/** Recipients in the sandbox, most with a special result. */
const RECIPIENTS = [
  ['48213907', 'Sent, then delivered after a moment.'],
  ['sandbox_slow', 'Delivered after five seconds.'],
  ['sandbox_fail', 'Fails: message.failed follows.'],
  ['sandbox_blocked', 'Fails: the recipient has blocked the bot.'],
  ['sandbox_not_connected', 'Rejected: the platform is not connected.'],
] as const;

interface MagicRecipientsProps {
  onSend: () => void;
  onRefused: () => void;
  onSent: () => void;
}

export function MagicRecipients({ onSend, onRefused, onSent }: MagicRecipientsProps) {
  const gateway = useGateway();
  const send = useMutation({
    mutationFn: (recipient: string) =>
      gateway.messages.send({ platform: 'telegram', recipient, message: 'Your order has been shipped.' }),
    onMutate: onSend,
    onSuccess: onSent,
    onError: (error) => {
      onRefused();
      showFault(error);
    },
  });
  return (
    <Section title="The business writes" description="Some recipients have a special meaning in the sandbox.">
      <ul className={classes.recipients}>
        {RECIPIENTS.map(([recipient, meaning]) => (
          <li key={recipient}>
            <div>
              <Code>{recipient}</Code>
              <Text size="sm" c="dimmed" mt={2}>
                {meaning}
              </Text>
            </div>
            <Group>
              <Button
                size="compact-sm"
                variant="default"
                loading={send.isPending && send.variables === recipient}
                onClick={() => send.mutate(recipient)}
                aria-label={`Send to ${recipient}`}
              >
                Send
              </Button>
            </Group>
          </li>
        ))}
      </ul>
    </Section>
  );
}
