// SPDX-License-Identifier: Apache-2.0
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A Netty server whose handler blocks, in its only event loop or in workers. */
final class NettyLoop {
    private static final class Slow extends ChannelInboundHandlerAdapter {
        private final int ms;

        Slow(int ms) {
            this.ms = ms;
        }

        private void lookUp() throws InterruptedException {
            Thread.sleep(ms);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message)
                throws InterruptedException {
            lookUp();
            context.writeAndFlush(message);
        }
    }

    private static final class Answers extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Byte> queue = new ArrayBlockingQueue<>(1);

        @Override
        public void channelRead(ChannelHandlerContext context, Object message)
                throws InterruptedException {
            ByteBuf buffer = (ByteBuf) message;
            queue.put(buffer.readByte());
            buffer.release();
        }
    }

    private static void ask(Channel channel, Answers answers)
            throws InterruptedException {
        channel.writeAndFlush(Unpooled.copyBoolean(true));
        answers.queue.take();
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 40);
        int ms = plan.number("handler_ms", 8);
        int workers = plan.number("workers", 0, clients);
        InetAddress host = InetAddress.getLoopbackAddress();
        NioEventLoopGroup loop =
                new NioEventLoopGroup(1, new DefaultThreadFactory("server"));
        NioEventLoopGroup clientLoop =
                new NioEventLoopGroup(1, new DefaultThreadFactory("client-loop"));
        EventExecutorGroup group = workers == 0 ? null
                : new DefaultEventExecutorGroup(workers,
                        new DefaultThreadFactory("worker"));
        Channel server = new ServerBootstrap().group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(group, "slow", new Slow(ms));
                    }
                }).bind(host, 0).sync().channel();
        Channel[] channels = new Channel[clients];
        Answers[] answers = new Answers[clients];
        for (int i = 0; i < clients; i++) {
            Answers own = new Answers();
            answers[i] = own;
            channels[i] = new Bootstrap().group(clientLoop)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(own);
                        }
                    }).connect(server.localAddress()).sync().channel();
            ask(channels[i], own);
        }
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) ask(channels[number], answers[number]);
        });
        plan.end((long) clients * each);
        server.close().sync();
        for (Channel channel : channels) channel.close().sync();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        clientLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        if (group != null)
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
