import { NONCE_PLACE } from './page-files';
import type { PageBuildState } from './page-build.service';

const NOTICES: Readonly<Record<PageBuildState, { title: string; text: string }>> = {
  running: {
    title: 'The dashboard is being built',
    text: 'This happens once, at the first start, and takes less than a minute. This page reloads automatically. The API is already available.',
  },
  failed: {
    title: 'The dashboard could not be built',
    text: 'See the log of the gateway. <code>npm run build</code> builds it again. The API works without it.',
  },
  idle: {
    title: 'The dashboard has not been built',
    text: '<code>npm run build</code> builds it. The API works without it.',
  },
};

const RELOAD_SECONDS = 2;

/** The page that is shown while the dashboard is not built. It has no script; the browser reloads it. */
export function pageNotice(state: PageBuildState): string {
  const { title, text } = NOTICES[state];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="refresh" content="${RELOAD_SECONDS}" />
    <title>${title}</title>
    <style nonce="${NONCE_PLACE}">
      body { font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; }
    </style>
  </head>
  <body>
    <main role="status">
      <h1>${title}</h1>
      <p>${text}</p>
    </main>
  </body>
</html>
`;
}
