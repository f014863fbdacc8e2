import { Anchor, Button, Group, Loader, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { InfoCircledIcon } from '@radix-ui/react-icons';
import { useEffect, useState, type FormEvent } from 'react';
import { faultOf } from '../api/fault';
import { Logo } from '../components/logo';
import { usePageTitle } from '../components/hooks/use-page-title';
import { isWellFormed, scopesOf } from './identify';
import { followPastedLinks, signInWithCode, takeCode } from './one-time-code';
import { environmentOf, sessions } from './session';
import classes from './sign-in.module.css';
import { Notice } from '../components/feedback/notice';

const code = takeCode();

export function SignIn({ endedBecause }: { endedBecause: string | undefined }) {
  usePageTitle('Sign in');
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(code !== undefined && endedBecause === undefined);

  useEffect(followPastedLinks, []);
  useEffect(() => {
    if (!busy || code === undefined) return;
    signInWithCode(code).catch((error: unknown) => {
      setFault(faultOf(error).text);
      setBusy(false);
    });
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = key.trim();
    if (!isWellFormed(given))
      return setFault('An API key begins with service_sk_live_ or service_sk_test_ and has 32 more characters.');
    setBusy(true);
    scopesOf(given).then(
      (scopes) => {
        const environment = environmentOf(given);
        sessions.begin({ keys: { [environment]: given }, environment, scopes: { [environment]: scopes } });
      },
      (error: unknown) => {
        setFault(faultOf(error).text);
        setBusy(false);
      },
    );
  };

  return (
    <main className={classes.page}>
      <div className={`card ${classes.box}`}>
        <Stack gap="lg">
          <Group gap="sm">
            <Logo size={36} />
            <div>
              <Title order={1} size="h3">
                Messaging Gateway
              </Title>
              <Text size="sm" c="dimmed">
                Sign in to your gateway
              </Text>
            </div>
          </Group>
          {endedBecause !== undefined && fault === undefined && (
            <Notice icon={<InfoCircledIcon />} title="You have been signed out" role="alert">
              {endedBecause}
            </Notice>
          )}
          {busy && code !== undefined && key === '' ? (
            <Group role="status">
              <Loader size="sm" />
              <Text size="sm">Signing in with the link …</Text>
            </Group>
          ) : (
            <form onSubmit={submit} noValidate>
              <Stack gap="md">
                <PasswordInput
                  label="API key"
                  description="Live keys show real conversations, test keys the sandbox."
                  placeholder="service_sk_…"
                  value={key}
                  onChange={({ currentTarget }) => {
                    setKey(currentTarget.value);
                    setFault(undefined);
                  }}
                  error={fault}
                  autoComplete="off"
                  spellCheck={false}
                  data-autofocus
                  autoFocus
                  size="md"
                  visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the key' }}
                />
                <Button type="submit" size="md" loading={busy} fullWidth>
                  Sign in
                </Button>
              </Stack>
            </form>
          )}
          <Text size="xs" c="dimmed">
            The first start of the gateway prints two keys and a link that signs you in. Without a terminal they are in
            the file <code>first-keys</code> of its data directory. The key stays in this tab and is forgotten when you
            close it.{' '}
            <Anchor href="/docs" size="xs" underline="always">
              API documentation
            </Anchor>
          </Text>
        </Stack>
      </div>
    </main>
  );
}
