import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { reloadAfterUpdate } from './app/reload-after-update';

reloadAfterUpdate();
createRoot(document.querySelector('#root')!).render(<App />);
