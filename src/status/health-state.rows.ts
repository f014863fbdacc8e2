import { statement } from '../core/database/database.service';
import { ENDED } from '../core/database/lease';

export const PING = statement('status-ping', 'SELECT 1');

export const END_HEALTH_LEASES = `UPDATE health_states SET lease_until = ${ENDED} WHERE lease_until > now()`;
