import { Store } from '../../store';

/** Number of conversations that wait for a person; 0 until it is loaded. */
export const waitingCount = new Store(0);
