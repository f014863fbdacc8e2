import { Button, type ButtonProps } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Problem } from '#client';
import { useGateway } from '../../../api/gateway';
import { RetryMessages } from '../../../components/messages/retry-messages';
import { useMay } from '../../../session/use-session';
import { ReconnectButton } from '../integrations/reconnect-button';
import { PLATFORMS, type Platform } from '../../../components/people/platform';

const STYLE: ButtonProps = { size: 'compact-sm', variant: 'default' };

interface ProblemActionsProps {
  problem: Problem;
  /** False: other problems have the same cause. */
  alone: boolean;
}

/** The action that solves the problem, or a link to the page where a person can solve it. */
export function ProblemActions({ problem, alone }: ProblemActionsProps) {
  const { kind, subject, samples } = problem;
  const mayReconnect = useMay('admin:settings');
  switch (kind) {
    case 'message_failed':
      return (
        <>
          <Open to="/messages/$messageId" params={{ messageId: samples[0]! }}>
            What happened
          </Open>
          <RetrySamples problem={problem} />
        </>
      );
    case 'handover_waiting':
      return alone ? (
        <Open to="/conversations/$conversationId" params={{ conversationId: subject.id }}>
          Open the conversation
        </Open>
      ) : (
        <Open to="/conversations" search={{ show: 'waiting' }}>
          Open the queue
        </Open>
      );
    case 'webhook_failing':
      return (
        <Open to="/webhooks/$webhookId" params={{ webhookId: subject.id }}>
          Open the webhook
        </Open>
      );
    case 'tool_failing':
      return (
        <Open to="/tools/$toolId" params={{ toolId: subject.id }}>
          Open the tool
        </Open>
      );
    case 'integration_error':
      return (
        <>
          {mayReconnect && <ReconnectButton target={subject.id} name={PLATFORMS[subject.id as Platform].name} />}
          <OpenEvent id={samples[0]} />
        </>
      );
    case 'ai_error':
    case 'ai_refused':
      return (
        <>
          <Open to="/settings">Open the AI settings</Open>
          <OpenEvent id={samples[0]} />
        </>
      );
    case 'backup_failed':
      return <Open to="/system">Open the backups</Open>;
    case 'media_failed':
      return <Open to="/conversations">Open the conversations</Open>;
    case 'component_unhealthy':
    default:
      return <Open to="/system">Open the system page</Open>;
  }
}

/** The problem goes away once all its messages are sent. */
function RetrySamples({ problem: { id, count, samples } }: { problem: Problem }) {
  const gateway = useGateway();
  const mayDismiss = useMay('admin:settings');
  const isAll = samples.length >= count;
  return (
    <RetryMessages ids={samples} onSent={() => (isAll && mayDismiss ? gateway.problems.dismiss(id) : undefined)} />
  );
}

function OpenEvent({ id }: { id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <Open to="/events/$eventId" params={{ eventId: id }}>
      What happened
    </Open>
  );
}

function Open({ children, ...link }: Pick<LinkProps, 'to' | 'params' | 'search'> & { children: string }) {
  return (
    <Button {...STYLE} renderRoot={(props) => <Link {...link} {...props} />}>
      {children}
    </Button>
  );
}
