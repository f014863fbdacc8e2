import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { SignIn } from '../session/sign-in';
import { useSessionState } from '../session/use-session';
import { Notifications } from '../components/feedback/notifications.lazy';
import { queryClient } from '../api/query-client';
import { LiveProvider } from '../live/live-provider';
import { router } from './router';
import { STYLE_NONCE } from './style-nonce';
import { colourVariables, theme } from './theme';

export function App() {
  const { session, endedBecause } = useSessionState();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={colourVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => STYLE_NONCE}
    >
      <Notifications />
      {session ? (
        <QueryClientProvider client={queryClient}>
          {/* The key makes React discard all state when the environment changes. */}
          <LiveProvider key={session.environment}>
            <RouterProvider router={router} />
          </LiveProvider>
        </QueryClientProvider>
      ) : (
        <SignIn endedBecause={endedBecause} />
      )}
    </MantineProvider>
  );
}
