import { createContext } from 'react';
import type { LiveEvents } from './live-events';
import type { RecentEvents } from './recent-events';

export const LiveContext = createContext<{ events: LiveEvents; recent: RecentEvents } | undefined>(undefined);
