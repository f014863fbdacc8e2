import { Store } from '../../store';

/** Whether the palette is shown. */
export const palette = new Store(false);
