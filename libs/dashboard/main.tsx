import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/app.css';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client';
import { App } from './app/app';
import { reloadAfterUpdate } from './app/reload-after-update';
import { prefetchOverview } from './pages/overview/overview-queries';
import { sessions } from './session/session';

reloadAfterUpdate();
const { session } = sessions.get();
if (session && isOverview()) prefetchOverview(queryClient, session);
createRoot(document.querySelector('#root')!).render(<App />);

function isOverview(): boolean {
  return /^\/dashboard\/?$/.test(location.pathname);
}
