import { ApiProperty } from '@nestjs/swagger';
import {
  ATTACHMENT_KINDS,
  ATTACHMENT_STATUSES,
  type Attachment,
  type AttachmentKind,
  type AttachmentStatus,
} from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';

@Example({ status: 'stored', duration_seconds: null })
export class AttachmentDto implements Attachment {
  @ApiId('attachment', 'Id of the attachment.')
  id!: string;

  @ApiProperty({
    enum: ATTACHMENT_KINDS,
    description:
      'Kind of attachment, detected from the first bytes of the file. `location` and `contact` have no file.',
  })
  kind!: AttachmentKind;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Media type, detected from the first bytes.',
    example: 'image/jpeg',
  })
  mime_type!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Size of the file, in bytes.', example: 184_320 })
  size_bytes!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the file, in hexadecimal digits.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the file, without unsafe characters.',
    example: 'receipt.jpg',
  })
  filename!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Width in pixels, if known.', example: 1_280 })
  width!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Height in pixels, if known.', example: 960 })
  height!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Duration of audio or video in seconds, if known.',
    example: 4.2,
  })
  duration_seconds!: number | null;

  @ApiProperty({
    enum: ATTACHMENT_STATUSES,
    description:
      '`pending`: the gateway is fetching the file. `stored`: the file can be read. `expired`: the platform no longer provides the file, or its retention period is over. `failed`, `too_large`: see `reason`.',
  })
  status!: AttachmentStatus;

  @ApiProperty({ type: String, nullable: true, description: 'Why the file is not stored; else null.', example: null })
  reason!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Transcript of a voice message or audio file, if the gateway makes transcripts.',
    example: null,
  })
  transcript!: string | null;
}
