import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core';
import { InfoCircledIcon } from '@radix-ui/react-icons';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Notice } from '../../../components/feedback/notice';
import { PageHeader } from '../../../components/page-header';
import { PLATFORMS, PlatformIcon, type Platform } from '../../../components/people/platform';
import { Section } from '../../../components/section';
import { Step, STEPS } from '../../../components/guide/steps';
import { RequireScope } from '../../../session/require-scope';
import { useEnvironment } from '../../../session/use-session';
import { ConnectForm } from './connect-form';
import classes from './connect.module.css';
import { Connected } from './connected';
import type { Credentials } from './credentials';
import { DURATIONS, GUIDES } from './guides';

/** The state of the page, in its address: a reload goes on at the same step. */
interface ConnectSearch {
  platform?: string;
  /** The account that was connected. */
  account?: string;
  /** When: its first message arrives later. */
  since?: string;
}

/** Leads from a platform's own pages to a connected account and its first message. */
export default function ConnectPage() {
  const { platform, account, since }: ConnectSearch = useSearch({ strict: false });
  const isPlatform = platform !== undefined && Object.hasOwn(PLATFORMS, platform);
  return (
    <div className={classes.page}>
      <Anchor
        size="sm"
        renderRoot={(props) =>
          isPlatform ? <Link to="/accounts/connect" {...props} /> : <Link to="/accounts" {...props} />
        }
      >
        {isPlatform ? '← Other platforms' : '← All accounts'}
      </Anchor>
      <PageHeader
        title={isPlatform ? `Connect ${PLATFORMS[platform as Platform].name}` : 'Connect a platform'}
        description={
          isPlatform
            ? `It takes about ${DURATIONS[platform as Platform]}. Nothing has to be restarted.`
            : 'Where do people write to you?'
        }
      />
      <RequireScope anyOf={['admin:settings']}>
        <SandboxNotice />
        {isPlatform ? (
          <Flow key={platform} platform={platform as Platform} accountId={account} since={since} />
        ) : (
          <Choice />
        )}
      </RequireScope>
    </div>
  );
}

function SandboxNotice() {
  if (useEnvironment() === 'live') return null;
  return (
    <Notice tone="neutral" icon={<InfoCircledIcon />} mb="lg" title="This is the test environment">
      It accepts any credentials, and the sandbox plays the platform. Switch to Live to connect a real bot or number.
    </Notice>
  );
}

function Choice() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      {(['telegram', 'whatsapp', 'discord'] as const).map((platform) => (
        <Link key={platform} to="/accounts/connect" search={{ platform }} className={`card ${classes.platform}`}>
          <PlatformIcon platform={platform} size={38} />
          <span>
            <Text fw={600} span display="block">
              {PLATFORMS[platform].name}
            </Text>
            <Text size="sm" c="dimmed" span>
              {DURATIONS[platform]}
            </Text>
          </span>
        </Link>
      ))}
    </SimpleGrid>
  );
}

interface FlowProps {
  platform: Platform;
  accountId: string | undefined;
  since: string | undefined;
}

function Flow({ platform, accountId, since }: FlowProps) {
  const navigate = useNavigate();
  const [credentials, setCredentials] = useState(() => initialCredentials(platform));
  if (accountId !== undefined && since !== undefined)
    return (
      <Connected accountId={accountId} since={since} credentials={credentials} steps={GUIDES[platform].length + 1} />
    );
  const guide = GUIDES[platform];
  return (
    <Section title="Steps">
      <Stack component="ol" gap="lg" className={STEPS}>
        {guide.map(({ title, body }, index) => (
          <Step key={title} number={index + 1} title={title}>
            {body}
          </Step>
        ))}
        <Step number={guide.length + 1} title={platform === 'whatsapp' ? 'Paste them here' : 'Paste the token here'}>
          <ConnectForm
            platform={platform}
            credentials={credentials}
            onChange={setCredentials}
            onConnected={({ id }) =>
              void navigate({
                to: '/accounts/connect',
                search: { platform, account: id!, since: new Date().toISOString() },
              })
            }
          />
        </Step>
      </Stack>
    </Section>
  );
}

/** WhatsApp needs a text that only Meta and the gateway know. `crypto.randomUUID` needs HTTPS. */
function initialCredentials(platform: Platform): Credentials {
  if (platform !== 'whatsapp') return {};
  const text = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0'));
  return { verify_token: text.join('') };
}
