import { Store } from '../../store';

/** How many conversations wait for a person; 0 while the page does not know. */
export const waitingCount = new Store(0);
