import { useLayoutEffect } from 'react';

let opener: HTMLElement | undefined;

/** A dialog that goes away with its component gives the focus back to what opened it, also after a dialog that followed it. */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    opener = openerOf(document.activeElement) ?? opener;
    return () => {
      setTimeout(() => {
        if (!document.querySelector('[role=dialog]')) opener?.focus();
      });
    };
  }, []);
}

/** An item of a menu goes away too: its button stays. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  const menu = focused?.closest('[role=menu]');
  const element = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : focused;
  const isOpener = element instanceof HTMLElement && element !== document.body && !element.closest('[role=dialog]');
  return isOpener ? element : undefined;
}
