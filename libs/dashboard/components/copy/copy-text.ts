/** @returns whether it is in the clipboard. A page over plain HTTP has no clipboard API: it copies a selection. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // The browser asked the person, who refused; the selection below needs no consent.
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  (document.activeElement?.closest('[role=dialog]') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
