const RELOADED_AT = 'gateway.reloaded-at';
/** A page that is missing files of a new version is complete after one reload; more would be a loop. */
const ONCE_WITHIN_MS = 60_000;

/** An open page of an older version no longer finds its parts after the gateway's update: it loads the new version. */
export function reloadAfterUpdate(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < ONCE_WITHIN_MS) return;
    event.preventDefault();
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
  });
}
