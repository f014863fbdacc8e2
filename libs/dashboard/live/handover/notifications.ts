import { Store } from '../../store';

/** `off`: the person has not turned them on. `blocked`: the browser does not allow them. */
export type NotificationState = 'on' | 'off' | 'blocked';

const STORED = 'gateway.notifications';
const isThere = 'Notification' in globalThis;
const state = new Store<NotificationState>(read());

function read(): NotificationState {
  if (!isThere || Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && localStorage.getItem(STORED) === 'on' ? 'on' : 'off';
}

interface Shown {
  title: string;
  body: string;
  /** The browser shows one notification per tag. */
  tag: string;
  onClick: () => void;
}

/** Browser notifications about conversations that wait for a person. */
export const notifications = {
  subscribe: state.subscribe,
  get: state.get,

  /** Asks for the browser's permission, which requires a click. */
  async turnOn(): Promise<void> {
    if (isThere && (await Notification.requestPermission()) === 'granted') localStorage.setItem(STORED, 'on');
    state.set(read());
  },

  turnOff(): void {
    localStorage.removeItem(STORED);
    state.set(read());
  },

  show({ title, body, tag, onClick }: Shown): void {
    if (read() !== 'on') return;
    try {
      const notification = new Notification(title, { body, tag });
      notification.addEventListener('click', () => {
        globalThis.focus();
        onClick();
        notification.close();
      });
    } catch {
      // Chrome on Android lets only service workers notify.
    }
  },
};
