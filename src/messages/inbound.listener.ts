import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ParticipantAliases } from '../conversations/aliases/participant-aliases.service';
import { MarketingPreferences } from '../conversations/marketing/marketing-preferences.service';
import { InboundSinks } from '../integrations/inbound/inbound-sinks.service';
import { Receipts } from './receipts/receipts.service';
import { Echoes } from './receive/echoes.service';
import { InboundService } from './receive/inbound.service';
import { MessageChanges } from './receive/message-changes.service';

/** Gives what the platforms send to the class that stores it. */
@Injectable()
export class InboundListener implements OnModuleInit {
  constructor(
    private readonly sinks: InboundSinks,
    private readonly inbound: InboundService,
    private readonly echoes: Echoes,
    private readonly receipts: Receipts,
    private readonly changes: MessageChanges,
    private readonly marketing: MarketingPreferences,
    private readonly aliases: ParticipantAliases,
  ) {}

  onModuleInit(): void {
    this.sinks.register({
      message: (at, message) => this.inbound.receive(at, message),
      echo: (at, message) => this.echoes.receive(at, message),
      receipt: (at, receipt) => this.receipts.receive(at, receipt),
      change: (at, change) => this.changes.apply(at, change),
      reaction: (at, reaction) => this.changes.react(at, reaction),
      marketing: (account, { participantId, allowed, at }) =>
        this.marketing.prefer(account, participantId, allowed, at),
      migrate: (at, from, to) => this.aliases.migrate(at, from, to),
    });
  }
}
