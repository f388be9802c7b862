// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;

/** A disk that takes so long for each write, however much is written at once. */
final class SlowDisk extends OutputStream {
    private final int ms;

    SlowDisk(int ms) {
        this.ms = ms;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }
}
