import { notifications } from '@mantine/notifications';
import { faultOf } from '../../api/fault';

const FAULT_MS = 10_000;
const DONE_MS = 4_000;

export function showDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: DONE_MS, role: 'status' });
}

export function showFault(error: unknown): void {
  const { title, text, requestId } = faultOf(error);
  const message = requestId ? `${text} (${requestId})` : text;
  notifications.show({ title, message, color: 'red', autoClose: FAULT_MS, role: 'alert' });
}
