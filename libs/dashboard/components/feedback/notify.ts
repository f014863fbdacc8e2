import { faultOf } from '../../api/fault';

const FAULT_MS = 10_000;
const DONE_MS = 4_000;

/** Loaded when the browser is idle or with the first message, because the overview does not need it. */
export const loadNotifications = () => import('@mantine/notifications');

export function showDone(message: string): void {
  show({ message, color: 'green', autoClose: DONE_MS, role: 'status' });
}

export function showFault(error: unknown): void {
  const { title, text, requestId } = faultOf(error);
  const message = requestId ? `${text} (${requestId})` : text;
  show({ title, message, color: 'red', autoClose: FAULT_MS, role: 'alert' });
}

function show(data: { title?: string; message: string; color: string; autoClose: number; role: string }): void {
  loadNotifications().then(
    ({ notifications }) => notifications.show({ ...data, closeButtonProps: { 'aria-label': 'Close' } }),
    // The network is down. The component that made the request shows the fault too.
    () => undefined,
  );
}
