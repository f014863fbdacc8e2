import { Injectable } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import { Integrations } from '../integrations/integrations.service';

export interface TypingPlace {
  environment: Environment;
  platform: Platform;
  participantId: string;
  address: string | null;
}

/** Shows that an answer is being written. Best effort: it never delays or fails the answer. */
@Injectable()
export class Typing {
  constructor(private readonly integrations: Integrations) {}

  /** @returns what ends it */
  start({ environment, platform, participantId, address }: TypingPlace): () => void {
    if (!this.integrations.isConnected(environment, platform)) return () => undefined;
    const { typingIntervalMs } = this.integrations.adapter(environment, platform);
    const show = () =>
      void this.integrations.showTyping(environment, platform, participantId, address).catch(() => undefined);
    show();
    const timer = setInterval(show, typingIntervalMs);
    return () => clearInterval(timer);
  }
}
