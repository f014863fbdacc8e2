import type { ConnectionDetails, ConnectionObserver } from '../platform.port';
import { pause } from '#http-client';
import { connectionError, faultOf, isPassing } from './connection-faults';
import type { GraphApi } from './graph-api';
import { text } from './inbound/notification';
import type { WhatsAppTimings } from './whatsapp.options';

/**
 * There is no connection to hold, because WhatsApp calls us. The probe reads the phone number at intervals: that needs the
 * same permissions as a send, and so proves that the number can be used.
 */
export class Probe {
  constructor(
    private readonly api: GraphApi,
    private readonly timings: WhatsAppTimings,
  ) {}

  /** A temporary failure of one probe is a warning; a second one in a row ends the connection. */
  async run(observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    for (let mayFail = false; !signal.aborted;) {
      try {
        observer.proven(await this.ask(signal));
        mayFail = true;
        await pause(this.timings.probeMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!mayFail || !isPassing(error)) throw connectionError(error);
        observer.warning(faultOf(error));
        mayFail = false;
        await pause(this.timings.pauseMs, signal);
      }
    }
  }

  /** Rejects when the platform refuses or does not answer. */
  async ask(signal: AbortSignal): Promise<ConnectionDetails> {
    const limits = { signal, deadlineMs: this.timings.answerMs };
    const { display_phone_number, verified_name } = await this.api.fields(FIELDS, limits);
    return { phone: text(display_phone_number) ?? '', name: text(verified_name) ?? '' };
  }
}

const FIELDS = ['display_phone_number', 'verified_name'];
