const RELOADED_AT = 'gateway.reloaded-at';
/** One reload loads the new version. Further reloads would only loop. */
const ONCE_WITHIN_MS = 60_000;

/** After an update of the gateway, an open page no longer finds its old files. This reloads the page to get the new version. */
export function reloadAfterUpdate(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < ONCE_WITHIN_MS) return;
    event.preventDefault();
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
  });
}
