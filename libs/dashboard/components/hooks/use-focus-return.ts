import { useLayoutEffect } from 'react';

let opener: HTMLElement | undefined;

/** For dialogs that unmount when they close: returns the focus to the element that opened the first of successive dialogs. */
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

/** A menu item unmounts too, so the focus goes to the menu's button. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  const menu = focused?.closest('[role=menu]');
  const element = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : focused;
  const isOpener = element instanceof HTMLElement && element !== document.body && !element.closest('[role=dialog]');
  return isOpener ? element : undefined;
}
